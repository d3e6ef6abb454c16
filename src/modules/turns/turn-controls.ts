import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../common/bounded-cache.js';
import { Clock } from '../../common/time/clock.js';
import { OrgDatabase } from '../../database/org-database.js';
import { AuditLogService } from '../organization/audit/audit-log.service.js';
import type { ControlSecret } from '../organization/controls/control-secrets.js';
import { ControlsService } from '../organization/controls/controls.service.js';
import type { EnterpriseControls } from '../organization/controls/enterprise-controls.js';
import type { SessionSettings } from '../sessions/session-settings.js';
import { agentControls } from './agent-controls.js';
import { SecretReleasesRepository } from './secret-releases.repository.js';
import type { AgentRef, BegunTurn } from './turn.js';

const MAX_CACHED = 10_000;

/** The controls to send, or why the turn cannot work with those that may be sent. */
export type SendableControls = { controls: object } | { problem: string };

/** Decides which of the organization's controls are sent with a turn: literal secrets only to trusted computers. */
@Injectable()
export class TurnControls {
  private readonly recorded = boundedCache<true>(MAX_CACHED);

  constructor(
    private readonly db: OrgDatabase,
    private readonly controls: ControlsService,
    private readonly releases: SecretReleasesRepository,
    private readonly auditLog: AuditLogService,
    private readonly clock: Clock,
  ) {}

  async of(
    agent: AgentRef,
    turn: BegunTurn,
    settings: SessionSettings,
    opened: EnterpriseControls,
  ): Promise<SendableControls> {
    const controls = agentControls(opened, settings);
    const secrets = await this.controls.secretsIn(agent.orgId, controls);
    if (secrets.length === 0) return { controls };
    if (turn.trusted) {
      await this.recordRelease(agent, turn, secrets);
      return { controls };
    }
    const model = modelInUse(settings);
    if (secrets.some(({ place }) => place.startsWith(`customModels.${model}.`))) return { problem: needsTrust(model) };
    return { controls: await this.controls.withoutSecrets(controls) };
  }

  /** Audits each secret once per computer, before it is sent. */
  private async recordRelease(
    { orgId, computerId }: AgentRef,
    turn: BegunTurn,
    secrets: ControlSecret[],
  ): Promise<void> {
    const keyOf = (fingerprint: Buffer) => `${orgId} ${computerId} ${fingerprint.toString('base64')}`;
    const unknown = secrets.filter(({ fingerprint }) => !this.recorded.has(keyOf(fingerprint)));
    if (unknown.length === 0) return;
    await this.db.transaction(orgId, async (tx) => {
      const fingerprints = unknown.map(({ fingerprint }) => fingerprint);
      const added = await this.releases.insertNew(tx, orgId, computerId, fingerprints, this.clock.now());
      if (added.length === 0) return;
      const { userId, sessionId } = turn;
      const actor = { userId, email: await this.releases.findEmail(tx, orgId, userId) };
      for (const { place, shown } of unknown.filter((secret) => added.some((one) => one.equals(secret.fingerprint)))) {
        const after = { secret: place, value: shown, sessionId };
        this.auditLog.record(tx, orgId, actor, { action: 'secret.released', target: computerId, after });
      }
    });
    for (const { fingerprint } of unknown) this.recorded.set(keyOf(fingerprint), true);
  }
}

function modelInUse({ interactionMode, model, specModeModel }: SessionSettings): string {
  return (interactionMode === 'spec' ? specModeModel : undefined) ?? model ?? '';
}

function needsTrust(model: string): string {
  return (
    `The model "${model}" works with a secret of the organization, and secrets travel only to trusted computers. ` +
    'An owner can mark this computer as trusted.'
  );
}
