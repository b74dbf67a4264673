import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { childrenOf, readProc, threadsOf } from "./usage.ts";

/** Of computing, not of waiting. A blank host has used a quarter of it when it is ready. */
const MAY_COMPUTE_MS = 200;
/** A tenth of what others get where they want it, all where nobody does. */
const NICE = 10;
/** proc(5): times are in ticks, of which Linux has a hundred a second on every machine. */
const MS_PER_TICK = 10;
const STAT_BYTES = 1024;
/** It may have left its session, or begun threads before it was asked. */
const LOOKS_PER_REMINDER = 20;

/**
 * Has a jailed program that computed for long give way to those that have just begun: a loop without an end would
 * otherwise cost everybody else half of a processor until its time is up.
 */
export class Courtesy {
  readonly #init: number;
  #looks = 0;
  #asked = false;

  constructor(init: number) {
    this.#init = init;
  }

  look(): void {
    if (this.#asked && ++this.#looks % LOOKS_PER_REMINDER !== 0) return;
    for (const program of childrenOf(this.#init, false, 1)) {
      if (!this.#asked && computedMs(program) < MAY_COMPUTE_MS) continue;
      giveWay(program);
      this.#asked = true;
    }
  }

  /** Of a program that is being ended: giving its memory back is its own work, and others wait for that. */
  lift(): void {
    if (!this.#asked) return;
    for (const program of childrenOf(this.#init, false, 1)) setSession(program, 0);
  }
}

/** By all its threads, and by children that have ended. */
function computedMs(pid: number): number {
  const stat = readProc(`/proc/${pid}/stat`, STAT_BYTES) ?? "";
  // proc(5): fields 14 to 17; the second is a name that may contain anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * MS_PER_TICK;
}

function giveWay(pid: number): void {
  setSession(pid, NICE);
  for (const thread of threadsOf(pid)) attempt(() => setPriority(Number(thread), NICE));
}

/** sched(7): where sessions are scheduled as groups, a thread's own number counts only within its session. */
function setSession(pid: number, nice: number): void {
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(nice)));
}

/** It may have ended, or the kernel have no such groups. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {}
}
