import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { Principal } from '../common/access/principal.js';

/** What the guard shows of a request: the header, and what to do with the bearer value in it. */
export interface ShownRequest {
  headers: { authorization?: string };
  authenticate: (bearer: string) => Promise<Principal>;
}

/**
 * Takes the bearer value out of the header. Passport keeps its strategies for the whole process, so this one holds
 * nothing of the application: two applications in one process do not authenticate each other's callers.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({ passReqToCallback: true });
  }

  validate(request: ShownRequest, bearer: string): Promise<Principal> {
    return request.authenticate(bearer);
  }
}
