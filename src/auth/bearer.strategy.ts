import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { Principal } from '../common/access/principal.js';

export interface VisibleRequest {
  headers: { authorization?: string };
  authenticate: (bearer: string) => Promise<Principal>;
}

/** Passport's strategies are global to the process, so this one holds no state of the application. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({ passReqToCallback: true });
  }

  validate(request: VisibleRequest, bearer: string): Promise<Principal> {
    return request.authenticate(bearer);
  }
}
