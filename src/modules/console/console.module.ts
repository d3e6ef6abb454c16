import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { Browsers } from './browsers.js';
import { ConsoleCommands } from './console-commands.js';
import { DoorsService } from './doors.service.js';
import { MySessionsController } from './my-sessions.controller.js';
import { SignInController } from './sign-in.controller.js';
import { OidcClient } from './sso/oidc-client.js';
import { SignInTransactions } from './sso/sign-in-transaction.js';
import { SsoController } from './sso/sso.controller.js';
import { SsoService } from './sso/sso.service.js';

/** The server side of the web console: how browsers sign in, and where they are. */
@Module({
  imports: [AuthModule, OrganizationModule],
  controllers: [SignInController, SsoController, MySessionsController],
  providers: [Browsers, ConsoleCommands, DoorsService, OidcClient, SignInTransactions, SsoService],
})
export class ConsoleModule {}
