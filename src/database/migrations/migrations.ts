import { Baseline1768348800000 } from './1768348800000-baseline.js';

/** Every migration, oldest first. Listed by hand: what runs is what is written here. */
export const MIGRATIONS = [Baseline1768348800000];
