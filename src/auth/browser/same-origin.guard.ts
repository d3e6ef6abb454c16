import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { requireSameOrigin } from './same-origin.js';
import { requireSafeTransport } from './transport.js';

/** For public routes that change the sign-in of a browser: otherwise another site could sign it in or out. */
@Injectable()
export class SameOriginGuard implements CanActivate {
  constructor(private readonly config: AppConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    requireSafeTransport(request, this.config);
    requireSameOrigin(request, this.config);
    return true;
  }
}
