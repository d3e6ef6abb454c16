import { Logger, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { RateLimiter } from '../http/limits/rate-limiter.js';
import { Clock } from '../common/time/clock.js';
import { UndeclaredInputGuard } from '../http/server/undeclared-input.guard.js';
import { AppConfig } from '../config/app-config.js';
import { OrganizationModule } from '../modules/organization/organization.module.js';
import { AuthGuard } from './auth.guard.js';
import { Authenticator, JWT_VERIFIER } from './authenticator.js';
import { BearerStrategy } from './bearer.strategy.js';
import { JwksCache } from './jwt/jwks-cache.js';
import { JwtVerifier } from './jwt/jwt-verifier.js';
import { PrincipalCache } from './principal-cache.js';
import { RefusedCredentials } from './refused-credentials.js';

@Module({
  imports: [OrganizationModule],
  providers: [
    Authenticator,
    BearerStrategy,
    PrincipalCache,
    RateLimiter,
    RefusedCredentials,
    { provide: JWT_VERIFIER, useFactory: createJwtVerifier, inject: [AppConfig, Clock] },
    // Guards run in this order: input is not looked at before the caller is authenticated and authorized.
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: UndeclaredInputGuard },
  ],
  exports: [Authenticator],
})
export class AuthModule {}

function createJwtVerifier({ jwt }: AppConfig, clock: Clock): JwtVerifier | null {
  if (!jwt) return null;
  const { issuer, audience, jwksUrl } = jwt;
  const logger = new Logger('SSO');
  const onFailure = (cause: unknown) => logger.warn(`The keys of ${issuer} cannot be fetched: ${String(cause)}`);
  const jwks = new JwksCache({ issuer, jwksUrl, clock, onFailure });
  return new JwtVerifier({ issuer, audience, jwks, clock });
}
