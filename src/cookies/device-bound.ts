import type { Unlabelled } from "./cookie.ts";

/** Cookies services are known to bind to a key in the device, by name and site. */
const KNOWN = [
  {
    site: /(^|\.)(google\.[a-z.]+|youtube\.com)$/,
    name: /^__Secure-[13]PSIDR?TS$/,
    reason: "Google rotates it with a key held by the device (Device Bound Session Credentials)",
  },
  {
    site: /(^|\.)(login\.microsoftonline\.com|login\.microsoft\.com|login\.live\.com|login\.windows\.net)$/,
    name: /^x-ms-(RefreshToken|Device)Credential\d*$/,
    reason: "Microsoft Entra signs it with a key held by the device (primary refresh token)",
  },
] as const;

/** A guess by name, for browsers whose store of bound sessions cannot be read. Says why it suspects. */
export function deviceBoundByName(cookie: Unlabelled): string | undefined {
  return KNOWN.find(({ site, name }) => site.test(cookie.domain) && name.test(cookie.name))?.reason;
}
