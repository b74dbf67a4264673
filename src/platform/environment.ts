/** The process's environment as a value. This file is the only reader of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function readEnvironment(): Environment {
  return { ...process.env };
}

/**
 * What the engine may inherit. Whoever starts the engine could otherwise redirect credentials (HTTP_PROXY,
 * SSL_CERT_FILE) or run code in it (NODE_OPTIONS, LD_PRELOAD).
 */
const INHERITED = new Set([
  "DBUS_SESSION_BUS_ADDRESS",
  "DEPUTY_HOME",
  "DISPLAY",
  "HOME",
  "LANG",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TMPDIR",
  "TZ",
  "USER",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_CONFIG_HOME",
  "XDG_CURRENT_DESKTOP",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  // Windows cannot start a process without these.
  "APPDATA",
  "LOCALAPPDATA",
  "SYSTEMROOT",
  "TEMP",
  "USERPROFILE",
]);

/** Honoured only when the owner starts the engine by hand; `deputy doctor` shows them. */
const OVERRIDES = ["DEPUTY_RESOLVE", "SSL_CERT_FILE"] as const;

export function engineEnvironment(from: Environment, startedByHand: boolean): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    const allowed = INHERITED.has(name) || name.startsWith("LC_");
    const override = startedByHand && OVERRIDES.some((o) => o === name);
    if (value !== undefined && (allowed || override)) kept[name] = value;
  }
  return kept;
}
