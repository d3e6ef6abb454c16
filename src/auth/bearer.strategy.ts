import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { Principal } from '../common/access/principal.js';
import { Authenticator } from './authenticator.js';

/** Takes the bearer value out of the header; what it is worth, the authenticator knows. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  constructor(private readonly authenticator: Authenticator) {
    super();
  }

  validate(bearer: string): Promise<Principal> {
    return this.authenticator.authenticate(bearer);
  }
}
