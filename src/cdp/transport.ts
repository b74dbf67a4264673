/** Carries whole messages to a browser and back. What it loses it reports by `onClose`, once. */
export interface Transport {
  send(message: string): void;
  listen(listener: { onMessage: (message: string) => void; onClose: (reason: string) => void }): void;
  close(): void;
}
