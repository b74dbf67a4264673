/** A DevTools client that says what it is told to and keeps every byte it hears. */
export interface RawClient extends AsyncDisposable {
  readonly heard: string[];
  /** The answer, or undefined when there is none in time. */
  ask(
    method: string,
    params?: object,
    sessionId?: string,
    patienceMs?: number,
  ): Promise<RawAnswer | undefined>;
  readonly closed: Promise<void>;
}

export interface RawAnswer {
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string };
}

export async function rawClient(url: string): Promise<RawClient> {
  const socket = new WebSocket(url);
  const heard: string[] = [];
  const waiting = new Map<number, (answer: RawAnswer) => void>();
  const closed = Promise.withResolvers<void>();
  let last = 0;
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("refused")));
  });
  socket.addEventListener("close", () => closed.resolve());
  socket.addEventListener("message", ({ data }) => {
    heard.push(String(data));
    const message = JSON.parse(String(data)) as RawAnswer & { id?: number };
    waiting.get(message.id ?? 0)?.(message);
  });
  return {
    heard,
    closed: closed.promise,
    ask(method, params = {}, sessionId, patienceMs = 5000) {
      const id = ++last;
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(undefined), patienceMs);
        waiting.set(id, (answer) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(answer);
        });
        socket.send(
          JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }),
        );
      });
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await closed.promise;
    },
  };
}
