/** Which connection is meant: a skill's, or a domain's own. */
export interface LoginTarget {
  /** A skill's id, a domain or a URL. */
  readonly target: string;
  /** Which of the skill's connections, where it has several. */
  readonly connection?: string;
  readonly account?: string;
}

export interface LoginPlan {
  readonly domain: string;
  readonly skill: string | null;
  readonly connection: string;
  readonly type: "api_key" | "cookies" | "oauth";
  /** Hosts outside its domain that the skill could send the login to. Nothing is tried out there. */
  readonly could_go_to: readonly string[];
  readonly label: string | null;
  readonly help_url: string | null;
  /** Where a person logs in. */
  readonly page: string | null;
  /** What the connection's templates use, `key` first. */
  readonly fields: readonly string[];
  /** The profiles that are looked in. */
  readonly browsers: readonly string[];
  /** Whether a login can be told from a visit; if not, the person has to say when they are done. */
  readonly telling: boolean;
  /** Whether a window can be opened here. */
  readonly window: boolean;
  /** Other ways in, in words. */
  readonly ways: readonly string[];
  readonly oauth: {
    readonly service: string;
    /** The owner has to register a client first. */
    readonly needs_client: boolean;
    readonly needs_secret: boolean;
    readonly client_help_url: string | null;
    readonly redirect_uri_hint: string;
  } | null;
}

export interface LoginDone {
  readonly domain: string;
  readonly account: string;
  readonly item_type: "api_key" | "cookies" | "oauth";
  readonly display: string | null;
  /** Whether the service was asked and took it. */
  readonly checked: boolean;
  readonly source: string;
  /** The vault's login is newer than that of `source`, which could not be checked, and stays. */
  readonly kept?: boolean;
}

export interface LoginMethods {
  "login.plan": { in: LoginTarget; out: LoginPlan };
  "login.key": { in: LoginTarget & { readonly values: Readonly<Record<string, string>> }; out: LoginDone };
  /** Progress says where to go: `url`, and `code` or `flow`. */
  "login.oauth": {
    in: LoginTarget & {
      readonly client?: { readonly client_id: string; readonly client_secret?: string };
      readonly device?: boolean;
      /** Open the page in the person's browser, where there is a display. */
      readonly open?: boolean;
    };
    out: LoginDone;
  };
  /** The address the browser ended at, where it is on another machine. */
  "login.paste": {
    in: { readonly flow: string; readonly address: string };
    out: { readonly accepted: boolean; readonly reason: string | null };
  };
  "login.cookies": {
    in: LoginTarget & {
      readonly wait_ms: number;
      /** In a window of its own, closed when the login is there. */
      readonly window?: boolean;
      readonly provider?: string;
    };
    out: LoginDone;
  };
}
