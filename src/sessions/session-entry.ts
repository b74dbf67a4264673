import type { OpenSession } from "./open-session.ts";
import type {
  OpenReport,
  SessionOwner,
  SessionSeed,
  SessionSource,
  SessionView,
  WriteBack,
} from "./session.ts";
import { sourceLabel } from "./source-label.ts";

export interface OpenRequest {
  readonly owner: SessionOwner;
  readonly source: SessionSource;
  /** Sets apart sessions of one owner and one source. */
  readonly name: string;
  readonly seed: (signal: AbortSignal) => Promise<SessionSeed>;
  readonly url?: string | undefined;
  readonly allow: readonly string[] | null;
  readonly expose: boolean;
  readonly writeBack: WriteBack | null;
}

/** A session, from the moment its slot is taken. */
export interface Entry {
  readonly id: string;
  readonly key: string;
  readonly request: OpenRequest;
  readonly created: number;
  readonly cancel: AbortController;
  readonly opening: Promise<OpenSession>;
  session: OpenSession | undefined;
  lost: { readonly reason: string; readonly at: number } | undefined;
  /** How often it was asked for, and how many still wait for it to open. */
  callers: number;
  waiting: number;
}

/** A session as its owner may see it. */
export async function viewOf(entry: Entry): Promise<SessionView> {
  const { id, request, created, session, lost } = entry;
  const tabs = lost === undefined ? await session?.tabs().catch(() => []) : [];
  return {
    id,
    name: request.name,
    agent: request.owner.agent,
    source: sourceLabel(request.source),
    state: lost ? "lost" : session === undefined ? "opening" : session.isAsleep ? "asleep" : "open",
    created,
    used: session?.used ?? created,
    tabs: tabs ?? [],
    report: told(session?.report ?? NOTHING_YET, lost?.reason),
  };
}

export function mayUse(owner: SessionOwner, { request }: Entry): boolean {
  return owner.seesAll || owner.key === request.owner.key;
}

const NOTHING_YET: OpenReport = {
  cookies: { cloned: 0, refused: [] },
  logins: [],
  device_bound: [],
  storage: { waiting: 0, cloned: 0, lost: [] },
  warnings: [],
};

function told(report: OpenReport, lost: string | undefined): OpenReport {
  return lost === undefined ? report : { ...report, warnings: [...report.warnings, lost] };
}
