import { Controller, Get, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, ComputerTokenAccess } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { Id } from '../../http/parameters/id.decorator.js';
import { CountsAsStream } from '../../http/streams/open-streams.js';
import { acceptSocket } from '../../http/streams/socket-upgrades.js';
import { ComputerAgentsService } from '../computers/computer-agents.service.js';
import { ComputersService } from '../computers/computers.service.js';
import { AgentGateway } from './agent.gateway.js';
import { ClientGateway } from './client.gateway.js';

/** Opens sockets. The reply is needed in person: it is the connection that becomes one. */
@ApiTags('Relay')
@Controller('api/v0/computers/:computerId')
@Access(Role.Owner, Role.Manager, Role.Member)
export class RelayController {
  constructor(
    private readonly computers: ComputersService,
    private readonly computerAgents: ComputerAgentsService,
    private readonly agents: AgentGateway,
    private readonly clients: ClientGateway,
  ) {}

  /**
   * Connects the agent of a computer
   * @remarks A WebSocket (`relayAgentUrl`) that speaks JSON-RPC 2.0; docs/relay.md describes it. The agent takes turns,
   * renews its hold on them, appends messages and reports usage. A newer connection takes over. Only the user who
   * registered the computer may connect, with any of their credentials or with the computer's own token. One socket for each
   * computer is free; others count like event streams. A plain request is a 400.
   */
  @Get('agent')
  @ComputerTokenAccess()
  @CountsAsStream('agent')
  @ApiResponse({ status: 101, description: 'The socket is open.' })
  @ApiProblems('not_found')
  async connectAgent(
    @CurrentPrincipal() caller: Principal,
    @Id('computerId', 'computer') computerId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.computerAgents.requireAgent(caller, computerId);
    acceptSocket(reply, this.agents.server, caller, computerId);
  }

  /**
   * Follows sessions on a computer
   * @remarks A WebSocket (`relayClientUrl`) that speaks JSON-RPC 2.0; docs/relay.md describes it. It carries the events of
   * `GET /api/v0/sessions/{sessionId}/events` for the caller's own sessions on this computer. It counts
   * as an event stream: a user may hold 50 of both open (`MAX_STREAMS_PER_USER`, counted by each process of the service), one
   * more is a 429. A plain request is a 400.
   */
  @Get('client')
  @CountsAsStream()
  @ApiResponse({ status: 101, description: 'The socket is open.' })
  @ApiProblems('not_found')
  async connectClient(
    @CurrentPrincipal() caller: Principal,
    @Id('computerId', 'computer') computerId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.computers.get(caller.orgId, computerId);
    acceptSocket(reply, this.clients.server, caller, computerId);
  }
}
