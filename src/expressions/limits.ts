/** What one evaluation may take. */
export interface ExpressionLimits {
  /** Running time, without waiting in the queue; `perMegabyte` is added for every full megabyte of input. */
  readonly milliseconds: number;
  readonly perMegabyte: number;
  /** UTF-8 length of the input and of the result as JSON. */
  readonly inputBytes: number;
  readonly outputBytes: number;
  /** jq's own heap. */
  readonly memoryBytes: number;
  /** UTF-8 length of a compiled program: it travels on jq's C stack. */
  readonly programBytes: number;
}

const MB = 1024 * 1024;

/**
 * Measured: an evaluation takes 1–3 ms, reading and writing a megabyte of JSON 150 ms. The rest is room for a
 * machine that is busy with other things.
 */
export const defaultLimits: ExpressionLimits = {
  milliseconds: 500,
  perMegabyte: 500,
  inputBytes: 8 * MB,
  outputBytes: 8 * MB,
  memoryBytes: 256 * MB,
  programBytes: 48 * 1024,
};
