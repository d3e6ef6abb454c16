import { v7 } from 'uuid';

/** A UUID of version 7; within this process, each is greater than the one before. */
export function newId(): string {
  return v7();
}
