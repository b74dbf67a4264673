import assert from "node:assert/strict";
import { DeputyError, type ErrorCode } from "../../src/kernel/index.ts";

/** The DeputyError work ends with. Test secrets are canaries: none may be in what a person is told. */
export async function fails(work: Promise<unknown>, code: ErrorCode, message: RegExp): Promise<DeputyError> {
  const error = await work.then(
    (value) => assert.fail(`it did not fail: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DeputyError, error instanceof Error ? (error.stack ?? "") : String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  assert.doesNotMatch(`${error.message} ${error.hint}`, /canary/);
  return error;
}
