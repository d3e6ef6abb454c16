import type { Message, MessagesPage } from '../../api/messages.js';

/** A message, or the place of one that is announced by its id alone because it is large. */
export type Entry = Message | Announced;
export interface Announced {
  readonly id: string;
  readonly isAnnounced: true;
}

/** A part of a session without holes that ends with its newest message. */
export interface Transcript {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  /** Where older ones go on; null: all are here. */
  readonly older: string | null;
  /** What the stream told while the newest page was being read; null: nothing is being read. */
  readonly waiting: readonly StreamChange[] | null;
  /** Whether something was missed: the newest page has to be read again. */
  readonly hasGap: boolean;
}

export interface StreamChange {
  readonly type: 'created' | 'updated';
  readonly entry: Entry;
}

export type TranscriptAction =
  /** The newest page is going to be read; what the stream tells meanwhile waits for it. */
  | { readonly type: 'reading' }
  | { readonly type: 'tail'; readonly page: MessagesPage }
  | { readonly type: 'older'; readonly page: MessagesPage }
  | { readonly type: 'told'; readonly change: StreamChange }
  /** A message that was announced by its id has been read. */
  | { readonly type: 'read'; readonly message: Message };

export const EMPTY: Transcript = { entries: [], older: null, waiting: [], hasGap: false };

export function reduce(transcript: Transcript, action: TranscriptAction): Transcript {
  switch (action.type) {
    case 'reading':
      return { ...transcript, waiting: transcript.waiting ?? [] };
    case 'tail':
      return (transcript.waiting ?? []).reduce(apply, withTail(transcript, action.page));
    case 'older':
      return withOlder(transcript, action.page);
    case 'told':
      if (transcript.waiting) return { ...transcript, waiting: [...transcript.waiting, action.change] };
      return apply(transcript, action.change);
    case 'read':
      return (
        replace(withWaiting(transcript, action.message), action.message) ?? withWaiting(transcript, action.message)
      );
  }
}

function withWaiting(transcript: Transcript, message: Message): Transcript {
  const waiting = transcript.waiting?.map((change) =>
    change.entry.id === message.id ? { ...change, entry: message } : change,
  );
  return waiting ? { ...transcript, waiting } : transcript;
}

export const isMessage = (entry: Entry): entry is Message => !('isAnnounced' in entry);

/** Whether the page continues what is known; if not, older pages are needed to close the hole. */
export function touches(transcript: Transcript, page: MessagesPage): boolean {
  const known = new Set(transcript.entries.map(({ id }) => id));
  return known.size === 0 || page.older === null || page.messages.some(({ id }) => known.has(id));
}

/** The page is the newest; where it does not touch what is known, it takes its place. */
function withTail(transcript: Transcript, page: MessagesPage): Transcript {
  const newest = page.messages.toReversed();
  const ids = new Set(newest.map(({ id }) => id));
  const joint = transcript.entries.findIndex(({ id }) => ids.has(id));
  if (joint === -1) return { entries: newest, older: page.older, waiting: null, hasGap: false };
  const known = new Map(transcript.entries.slice(joint).map((entry) => [entry.id, entry]));
  const entries = [
    ...transcript.entries.slice(0, joint),
    ...newest.map((message) => newer(known.get(message.id), message)),
  ];
  return { entries, older: joint === 0 ? page.older : transcript.older, waiting: null, hasGap: false };
}

function withOlder(transcript: Transcript, page: MessagesPage): Transcript {
  const known = new Set(transcript.entries.map(({ id }) => id));
  const added = page.messages.filter(({ id }) => !known.has(id)).reverse();
  return { ...transcript, entries: [...added, ...transcript.entries], older: page.older };
}

function apply(transcript: Transcript, { type, entry }: StreamChange): Transcript {
  const replaced = replace(transcript, entry);
  if (replaced) return replaced;
  if (type === 'created') return { ...transcript, entries: [...transcript.entries, entry] };
  // A change of something that is not here: older than what is loaded, or missed.
  return transcript.older === null ? { ...transcript, hasGap: true } : transcript;
}

/** null: it is not here. */
function replace(transcript: Transcript, entry: Entry): Transcript | null {
  // From the end: changes are nearly always about the last messages.
  const at = transcript.entries.findLastIndex(({ id }) => id === entry.id);
  const known = transcript.entries[at];
  if (!known) return null;
  const kept = newer(known, entry);
  return kept === known ? transcript : { ...transcript, entries: transcript.entries.with(at, kept) };
}

function newer(known: Entry | undefined, told: Entry): Entry {
  if (!known || !isMessage(known)) return told;
  if (!isMessage(told)) return known;
  return told.updatedAt >= known.updatedAt ? told : known;
}
