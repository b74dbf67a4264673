import { setTimeout } from "node:timers/promises";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import type { FlowOutcome } from "./flow-outcome.ts";
import type { Asking, DevicePoll, TokenEndpoint } from "./token-endpoint.ts";

/** What the person is told, and the waiting for them. */
export interface DeviceFlow {
  readonly userCode: string;
  readonly verificationUrl: string;
  /** With the code in it already. */
  readonly completeUrl: string | null;
  readonly expiresAt: number;
  /** Until the person has decided. Asks the service at the pace it wants (RFC 8628 3.5). */
  wait(signal?: AbortSignal): Promise<FlowOutcome>;
}

export interface DeviceFlowParts extends Asking {
  readonly endpoint: TokenEndpoint;
  readonly clock: Clock;
  readonly scopes: readonly string[];
  /** Tests do not wait. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

// RFC 8628 3.5: "the interval MUST be increased by 5 seconds for this and all subsequent requests".
const SLOWER_MS = 5000;

export async function startDeviceFlow(parts: DeviceFlowParts): Promise<DeviceFlow> {
  const { endpoint, clock, service, client, sleep = sleepFor } = parts;
  const scopes = [...new Set([...service.scopes, ...parts.scopes])];
  const start = await endpoint.startDevice({ service, client, scopes, signal: parts.signal });

  async function poll(signal: AbortSignal | undefined): Promise<DevicePoll> {
    try {
      return await endpoint.pollDevice({ service, client, deviceCode: start.deviceCode, signal });
    } catch (error) {
      // The person may be typing the code while the network is away for a moment.
      if (error instanceof DeputyError && (error.code === "NETWORK_FAILED" || error.code === "TIMEOUT"))
        return { kind: "slow-down" };
      throw error;
    }
  }

  return {
    userCode: start.userCode,
    verificationUrl: start.verificationUrl,
    completeUrl: start.completeUrl,
    expiresAt: start.expiresAt,
    async wait(signal) {
      let intervalMs = start.intervalMs;
      for (;;) {
        await sleep(intervalMs, signal);
        if (clock.now() >= start.expiresAt) return { kind: "expired", reason: "expired_token" };
        const polled = await poll(signal);
        if (polled.kind === "slow-down") intervalMs += SLOWER_MS;
        else if (polled.kind !== "pending") return polled;
      }
    },
  };
}

async function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch {
    throw new DeputyError("CANCELLED", "The login was given up");
  }
}
