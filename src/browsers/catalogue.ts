import type { KeyPlace } from "../chromium/index.ts";

export type BrowserId =
  | "chrome"
  | "chromium"
  | "brave"
  | "edge"
  | "arc"
  | "vivaldi"
  | "opera"
  | "firefox"
  | "librewolf"
  | "zen"
  | "safari";

export type Family = "chromium" | "firefox" | "safari";

/** A folder below one of the places a system keeps programs' data in. Always with forward slashes. */
type Folder = `${"home" | "config" | "support" | "local" | "roaming" | "flatpak" | "snap"}:${string}`;

export interface BrowserEntry {
  readonly id: BrowserId;
  readonly family: Family;
  readonly keyPlace?: KeyPlace;
  /** Folders that may hold profiles, by system. Every one that exists counts. */
  readonly folders: { readonly linux?: Folder[]; readonly darwin?: Folder[]; readonly win32?: Folder[] };
}

/**
 * Every browser Deputy knows: where it keeps profiles, and for the Chromium family where its sealing password is.
 * On Linux several browsers keep it under the name of the one they were made from. A new browser is one entry here.
 */
export const catalogue: readonly BrowserEntry[] = [
  {
    id: "chrome",
    family: "chromium",
    keyPlace: { application: "chrome", keychain: "Chrome" },
    folders: {
      linux: [
        "config:google-chrome",
        "config:google-chrome-beta",
        "config:google-chrome-unstable",
        "flatpak:com.google.Chrome/config/google-chrome",
      ],
      darwin: ["support:Google/Chrome", "support:Google/Chrome Beta", "support:Google/Chrome Canary"],
      win32: [
        "local:Google/Chrome/User Data",
        "local:Google/Chrome Beta/User Data",
        "local:Google/Chrome SxS/User Data",
      ],
    },
  },
  {
    id: "chromium",
    family: "chromium",
    keyPlace: { application: "chromium", keychain: "Chromium" },
    folders: {
      linux: [
        "config:chromium",
        "flatpak:org.chromium.Chromium/config/chromium",
        "snap:chromium/common/chromium",
      ],
      darwin: ["support:Chromium"],
      win32: ["local:Chromium/User Data"],
    },
  },
  {
    id: "brave",
    family: "chromium",
    keyPlace: { application: "brave", keychain: "Brave" },
    folders: {
      linux: [
        "config:BraveSoftware/Brave-Browser",
        "flatpak:com.brave.Browser/config/BraveSoftware/Brave-Browser",
        "snap:brave/current/.config/BraveSoftware/Brave-Browser",
      ],
      darwin: ["support:BraveSoftware/Brave-Browser"],
      win32: ["local:BraveSoftware/Brave-Browser/User Data"],
    },
  },
  {
    id: "edge",
    family: "chromium",
    keyPlace: { application: "chromium", keychain: "Microsoft Edge" },
    folders: {
      linux: ["config:microsoft-edge", "flatpak:com.microsoft.Edge/config/microsoft-edge"],
      darwin: ["support:Microsoft Edge"],
      win32: ["local:Microsoft/Edge/User Data"],
    },
  },
  {
    id: "arc",
    family: "chromium",
    keyPlace: { application: "chromium", keychain: "Arc" },
    folders: {
      darwin: ["support:Arc/User Data"],
      win32: ["local:Packages/TheBrowserCompany.Arc_ttt1ap7aakyb4/LocalCache/Local/Arc/User Data"],
    },
  },
  {
    id: "vivaldi",
    family: "chromium",
    keyPlace: { application: "chrome", keychain: "Vivaldi" },
    folders: {
      linux: ["config:vivaldi", "flatpak:com.vivaldi.Vivaldi/config/vivaldi"],
      darwin: ["support:Vivaldi"],
      win32: ["local:Vivaldi/User Data"],
    },
  },
  {
    id: "opera",
    family: "chromium",
    keyPlace: { application: "chromium", keychain: "Opera" },
    folders: {
      linux: ["config:opera", "flatpak:com.opera.Opera/config/opera", "snap:opera/current/.config/opera"],
      darwin: ["support:com.operasoftware.Opera"],
      win32: ["roaming:Opera Software/Opera Stable"],
    },
  },
  {
    id: "firefox",
    family: "firefox",
    folders: {
      linux: [
        "home:.mozilla/firefox",
        "config:mozilla/firefox",
        "flatpak:org.mozilla.firefox/.mozilla/firefox",
        "flatpak:org.mozilla.firefox/config/mozilla/firefox",
        "snap:firefox/common/.mozilla/firefox",
      ],
      darwin: ["support:Firefox"],
      win32: ["roaming:Mozilla/Firefox"],
    },
  },
  {
    id: "librewolf",
    family: "firefox",
    folders: {
      linux: [
        "home:.librewolf",
        "config:librewolf/librewolf",
        "flatpak:io.gitlab.librewolf-community/.librewolf",
      ],
      darwin: ["support:librewolf"],
      win32: ["roaming:librewolf"],
    },
  },
  {
    id: "zen",
    family: "firefox",
    folders: {
      linux: ["home:.zen", "config:zen", "flatpak:app.zen_browser.zen/.zen"],
      darwin: ["support:zen"],
      win32: ["roaming:zen"],
    },
  },
  {
    id: "safari",
    family: "safari",
    folders: {
      darwin: [
        "home:Library/Containers/com.apple.Safari/Data/Library",
        // Before macOS moved Safari into a container.
        "home:Library",
      ],
    },
  },
];
