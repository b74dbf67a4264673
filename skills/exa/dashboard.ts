import type { Run } from "deputize/skill";

const AUTH = "https://auth.exa.ai";
const DASHBOARD = "https://dashboard.exa.ai";

export async function sendLoginCode({ http, params }: Run) {
  const { csrfToken } = (await http.get(`${AUTH}/api/auth/csrf`)).json();
  const sent = await http.post(`${AUTH}/api/auth/signin/email`, {
    form: { email: address(params), csrfToken, callbackUrl: `${DASHBOARD}/`, json: "true" },
  });
  if (!sent.ok) throw new Error(`Exa did not send a code (status ${sent.status})`);
  return {
    status: "code_sent",
    hint: 'A mail from exa.ai with the subject "Sign in to Exa Dashboard" has six digits. Call verify with them.',
  };
}

export async function verify({ http, params }: Run) {
  const email = address(params);
  const checked = await http.post(`${AUTH}/api/verify-otp`, {
    json: { email, otp: String(params["code"]).trim() },
  });
  if (!checked.ok) throw new Error("Exa did not take the code: it may be mistyped or older than ten minutes");
  const { hashedOtp, rawOtp } = checked.json();
  await http.get(`${AUTH}/api/auth/callback/email`, {
    query: { token: `${hashedOtp}:${rawOtp}`, email, callbackUrl: `${DASHBOARD}/` },
  });
  const user = (await http.get(`${DASHBOARD}/api/auth/session`)).json()?.user;
  if (user?.email === undefined) throw new Error("Exa took the code and did not log in");
  return {
    __secrets__: [
      {
        domain: "exa.ai",
        identifier: user.email,
        item_type: "cookies",
        source: "exa",
        value: { from_jar: true },
      },
    ],
    __result__: {
      status: "authenticated",
      identifier: user.email,
      hint: "get_api_key takes the key into the vault",
    },
  };
}

export async function whoami({ http }: Run) {
  const user = (await http.get("/api/auth/session")).json()?.user;
  if (user?.email === undefined) throw new Error("SESSION_EXPIRED: the dashboard wants a login");
  return { id: user.email, issuer: "exa.ai", platform: "exa", handle: user.email, display_name: user.name };
}

export async function getApiKey({ http }: Run) {
  const user = (await http.get("/api/auth/session")).json()?.user;
  if (user?.email === undefined) throw new Error("SESSION_EXPIRED: the dashboard wants a login");
  const keys: { id?: string; name?: string }[] = (await http.get("/api/get-api-keys")).json()?.apiKeys ?? [];
  const key = keys[0]?.id;
  if (key === undefined)
    throw new Error(
      "There is no key at the dashboard yet: the owner makes one at https://dashboard.exa.ai/api-keys",
    );
  return {
    __secrets__: [
      {
        domain: "exa.ai",
        identifier: user.email,
        item_type: "api_key",
        label: "Exa API key",
        source: "exa",
        value: { key },
        metadata: { masked: { key: `••••${key.slice(-4)}` } },
      },
    ],
    __result__: { status: "stored", identifier: user.email },
  };
}

function address(params: Run["params"]): string {
  return String(params["email"]).trim().toLowerCase();
}
