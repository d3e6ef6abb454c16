import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { ControlsService } from '../../organization/controls/controls.service.js';
import { type ModelChoice, modelsFor } from './known-models.js';
import { ModelsRepository } from './models.repository.js';

@Injectable()
export class ModelsService {
  constructor(
    private readonly models: ModelsRepository,
    private readonly controls: ControlsService,
  ) {}

  async list({ orgId, userId }: Principal): Promise<ModelChoice> {
    const [controls, used] = await Promise.all([this.controls.current(orgId), this.models.listUsed(orgId)]);
    return modelsFor(controls, userId, used);
  }
}
