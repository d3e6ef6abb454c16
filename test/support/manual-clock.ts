import { Clock } from '../../src/common/time/clock.js';

/** A clock that stands still until a test moves it. */
export class ManualClock extends Clock {
  private time: number;

  constructor(start: Date | string) {
    super();
    this.time = new Date(start).getTime();
  }

  override now(): Date {
    return new Date(this.time);
  }

  advance(ms: number): void {
    this.time += ms;
  }

  set(date: Date | string): void {
    this.time = new Date(date).getTime();
  }
}
