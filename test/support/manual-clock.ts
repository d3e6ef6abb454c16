import { Clock } from '../../src/common/time/clock.js';

/** A clock that only a test moves. */
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
