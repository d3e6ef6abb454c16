import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { ForbiddenError, NotFoundError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { OrgDatabase } from '../../database/org-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { ControlsService } from '../organization/controls/controls.service.js';
import type { ComputerEntity, ProvisioningStep } from './computer.entity.js';
import { requireOwnComputersAllowed } from './computer-rules.js';
import { ComputersRepository } from './computers.repository.js';
import { ComputersService } from './computers.service.js';
import { ReplicasService } from './presence/replicas.service.js';

export interface AgentIntroduction {
  connectionId: string;
  name: string;
  version: string;
  hostname?: string;
  /** Why it cannot run sessions; absent: it can. */
  problem?: string;
}

/** The agents of computers: who may connect as one, and which connection is the current one. */
@Injectable()
export class ComputerAgentsService {
  private readonly logger = new Logger('Computers');

  constructor(
    private readonly db: OrgDatabase,
    private readonly computers: ComputersService,
    private readonly rows: ComputersRepository,
    private readonly replicas: ReplicasService,
    private readonly controls: ControlsService,
    private readonly clock: Clock,
  ) {}

  /** The user who registered the computer may connect as its agent, also with the computer's token. */
  async requireAgent(caller: Principal, computerId: string, tx?: SqlTransaction): Promise<void> {
    this.requireOwnComputer(caller, await this.computers.get(caller.orgId, computerId, tx));
    requireOwnComputersAllowed(await this.controls.current(caller.orgId));
  }

  /** Makes this connection the current one of the computer; the one before is told to close. */
  async connect(caller: Principal, computerId: string, agent: AgentIntroduction): Promise<ComputerEntity> {
    const { connectionId } = agent;
    await this.replicas.hold(connectionId);
    try {
      return await this.db.transaction(caller.orgId, (tx) => this.connectIn(tx, caller, computerId, agent));
    } catch (error) {
      this.replicas.release(connectionId);
      throw error;
    }
  }

  private async connectIn(
    tx: SqlTransaction,
    caller: Principal,
    computerId: string,
    { connectionId, name, version, hostname, problem }: AgentIntroduction,
  ): Promise<ComputerEntity> {
    const { orgId } = caller;
    const computer = await this.rows.findForUpdate(tx, orgId, computerId);
    if (!computer) throw new NotFoundError('computer', computerId);
    this.requireOwnComputer(caller, computer);
    const seenAt = this.clock.now();
    const connected: ComputerEntity = {
      ...computer,
      status: problem === undefined ? 'active' : 'error',
      provisioningSteps: computer.provisioningSteps.map((step) =>
        step.id === 'connect-agent' ? connectStep(step, problem, seenAt.getTime()) : step,
      ),
      hostname: hostname ?? computer.hostname,
    };
    this.rows.updateAgent(tx, connected, { connectionId, replica: this.replicas.ownId, seenAt, name, version });
    tx.notify('agent_connected', { orgId, computerId, connectionId });
    tx.notify('computer_changed', { orgId, computerId });
    return connected;
  }

  async isCurrent(agent: { orgId: string; computerId: string; connectionId: string }): Promise<boolean> {
    return (await this.rows.findAgentConnection(agent.orgId, agent.computerId)) === agent.connectionId;
  }

  /** Logged too: before access was decided per computer, owners and managers could connect as any agent. */
  private requireOwnComputer(caller: Principal, { id, name, registeredBy }: ComputerEntity): void {
    if (caller.computerId !== undefined && caller.computerId !== id) {
      throw new ForbiddenError('This token speaks for another computer.');
    }
    if (registeredBy === caller.userId) return;
    this.logger.warn(
      `Computer ${id}: the agent of user ${caller.userId} was refused; user ${registeredBy} registered it.`,
    );
    throw new ForbiddenError(
      `Only the user who registered the computer "${name}" may connect as its agent. ` +
        'Choose another name, or let an owner give it to you.',
    );
  }
}

function connectStep(step: ProvisioningStep, problem: string | undefined, at: number): ProvisioningStep {
  const { id, name } = step;
  const startedAt = step.startedAt ?? at;
  if (problem !== undefined) return { id, name, status: 'failed', error: problem, startedAt };
  return { id, name, status: 'completed', startedAt, completedAt: step.completedAt ?? at };
}
