/** Where the program gets the time from. Injected, so that a test can decide what time it is. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }
}
