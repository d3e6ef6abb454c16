import { useState } from 'react';
import { useAction } from '../../../api/action.js';
import { type LimitEntry, setLimits, type UserLimit } from '../../../api/limits.js';
import { say } from '../../../ui/Toasts.js';
import { readLimit, showLimit } from './limit-text.js';

/** What is typed and not saved yet, by user; and what the service said about single entries. */
export function useLimitDrafts(rows: readonly UserLimit[]) {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, string>>(new Map());
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const textOf = ({ userId, limit }: UserLimit) => drafts.get(userId) ?? showLimit(limit);
  const changed = rows.filter((row) => drafts.has(row.userId) && textOf(row) !== showLimit(row.limit));
  const problemOf = (row: UserLimit) => {
    const read = readLimit(textOf(row));
    return 'problem' in read ? read.problem : refused.get(row.userId);
  };
  const entries = changed.flatMap((row): LimitEntry[] => {
    const read = readLimit(textOf(row));
    return 'problem' in read ? [] : [{ email: row.email, limit: read.limit }];
  });
  const save = useAction({
    run: () => setLimits(entries),
    changes: ['limits', 'me'],
    onDone: ({ updated, errors }) => {
      const idOf = new Map(rows.map(({ email, userId }) => [email.toLowerCase(), userId]));
      const kept = errors.map(({ email, error }) => [idOf.get(email.toLowerCase()) ?? email, error] as const);
      setRefused(new Map(kept));
      setDrafts(new Map(kept.map(([userId]) => [userId, drafts.get(userId) ?? ''])));
      if (updated.length > 0) say(updated.length === 1 ? 'One limit is set.' : `${updated.length} limits are set.`);
      if (errors.length > 0) say(`${errors.length} could not be set; see their rows.`, { isProblem: true });
    },
  });
  const type = (userIds: readonly string[], text: string) => {
    setDrafts(new Map([...drafts, ...userIds.map((userId) => [userId, text] as const)]));
    setRefused(new Map([...refused].filter(([userId]) => !userIds.includes(userId))));
  };
  const discard = () => {
    setDrafts(new Map());
    setRefused(new Map());
  };
  return {
    textOf,
    problemOf,
    changed,
    canSave: entries.length === changed.length && entries.length > 0,
    save,
    type,
    discard,
  };
}
