import { Response } from "wreq-js";

/** The transport's cache of bodies tidies itself when it is next asked for one, at most once in 300 ms. */
const TIDY_MS = 350;
/** What it removes it frees a little later still, as it is asked again. */
const LOOKS = 4;

/**
 * Ends the transfers of bodies that were cancelled. Cancelling alone leaves their connections open until the transport
 * next looks for a body: so it is made to look for one that does not exist.
 */
export function letGo(looks = LOOKS): void {
  if (looks === 0) return;
  setTimeout(() => {
    const absent = new Response(
      { status: 200, headers: [], bodyHandle: 0, bodyBytes: null, contentLength: null, cookies: [], url: "" },
      "",
    );
    // By chunk: asking for all of it removes without looking.
    absent.body
      ?.getReader()
      .read()
      .catch(() => undefined);
    letGo(looks - 1);
  }, TIDY_MS).unref();
}
