/** Something a program tries in a jail, as the body of a Python function that returns where it got somewhere. */
export interface Attempt {
  readonly code: string;
  /** It works without a jail, which shows that the attempt is a real one. */
  readonly open?: true;
  /** Where the filter ends the process instead of refusing the call. */
  readonly killed?: true;
}
