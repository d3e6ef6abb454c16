import { isEmail } from 'class-validator';

export function isEmailAddress(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 254 && isEmail(value);
}
