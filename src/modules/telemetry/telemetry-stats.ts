import { Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import type { Signal } from './otlp/records.js';

export interface Outcome {
  readonly agent: string;
  readonly name: string;
  records: number;
  readonly isIgnored: boolean;
  readonly facts: Record<string, number>;
}

export interface Rejected {
  count: number;
  reason: string;
}

/** Names come from outside, so the number of labels is bounded. */
const MAX_NAMES = 500;

/** Lets operators see which telemetry is not mapped. */
@Injectable()
export class TelemetryStats {
  private readonly names = new Set<string>();
  private readonly records = new Counter({
    name: 'telemetry_records_total',
    help: 'OpenTelemetry records by agent and signal, and what became of them.',
    labelNames: ['agent', 'signal', 'outcome'],
    registers: [],
  });
  private readonly ignored = new Counter({
    name: 'telemetry_ignored_records_total',
    help: 'OpenTelemetry records that no adapter knows, by name.',
    labelNames: ['agent', 'signal', 'name'],
    registers: [],
  });
  private readonly rejected = new Counter({
    name: 'telemetry_rejected_facts_total',
    help: 'Usage facts from OpenTelemetry that were refused, for example because of their date.',
    labelNames: ['signal'],
    registers: [],
  });

  register(registry: Registry): void {
    for (const counter of [this.records, this.ignored, this.rejected]) registry.registerMetric(counter);
  }

  count(signal: Signal, outcomes: readonly Outcome[], rejected: number): void {
    for (const { agent, name, records, isIgnored, facts } of outcomes) {
      const outcome = isIgnored ? 'ignored' : Object.keys(facts).length > 0 ? 'counted' : 'nothing to count';
      this.records.inc({ agent, signal, outcome }, records);
      if (isIgnored) this.ignored.inc({ agent, signal, name: this.labelOf(name) }, records);
    }
    if (rejected > 0) this.rejected.inc({ signal }, rejected);
  }

  private labelOf(name: string): string {
    if (this.names.size < MAX_NAMES) this.names.add(name);
    return this.names.has(name) ? name : 'other';
  }
}
