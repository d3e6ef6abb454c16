import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/Button.js';
import { MessageRow } from './MessageRow.js';
import { OpenFolds } from './parts/Fold.js';
import type { Outgoing } from './outbox.js';
import { OutgoingRow } from './OutgoingRow.js';
import { rowsOf } from './rows.js';
import type { FeedState, TranscriptFeed } from './transcript-feed.js';
import { measureAppend, measureOpening } from './timing.js';
import { useTarget } from './use-target.js';
import styles from './TranscriptList.module.css';

/** Nearer to the end than this, the reader is following. */
const END_PX = 60;
const ESTIMATED_PX = 72;
const LOAD_OLDER_AT = 4;
const NONE: ReadonlySet<string> = new Set();

interface Props extends FeedState {
  readonly feed: TranscriptFeed;
  readonly isRunning: boolean;
  readonly userName: string;
  readonly queued?: ReadonlySet<string>;
  readonly outgoing?: readonly Outgoing[];
  /** Instead of messages when there are none. */
  readonly empty: ReactNode;
}

/** The messages, of which only those in sight are elements of the page. Stays at the end unless the reader scrolls up. */
export function TranscriptList(props: Props) {
  const { feed, transcript, isLoadingOlder, isRunning, userName, queued = NONE, outgoing = [], empty } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const folds = useRef(new Set<string>());
  const isPlaced = useRef(false);
  const [isAtEnd, setAtEnd] = useState(true);
  const { rows, results, placeOf } = useMemo(() => rowsOf(transcript.entries), [transcript.entries]);
  const count = rows.length + outgoing.length;
  const list = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_PX,
    getItemKey: (i) => rows[i]?.entry.id ?? outgoing[i - rows.length]?.key ?? i,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
    overscan: 6,
    gap: 10,
    paddingStart: 12,
    paddingEnd: 16,
  });
  const items = list.getVirtualItems();
  const target = useTarget(feed, (id) => {
    isPlaced.current = true;
    list.scrollToIndex(placeOf(id), { align: 'center' });
  });

  useLayoutEffect(() => {
    if (count === 0 || isPlaced.current) return;
    if (target === null) list.scrollToEnd();
    // The first rows are measured in the next frame; before that the top seems to be in sight.
    const frame = requestAnimationFrame(() => (isPlaced.current = true));
    return () => cancelAnimationFrame(frame);
  }, [count, list, target]);
  // Also without a scroll: what is above or below may have grown.
  useEffect(() => setAtEnd(list.isAtEnd(END_PX)));
  useLayoutEffect(measureAppend, [rows]);
  useEffect(() => measureOpening(rows.length), [rows.length]);

  const firstShown = items[0]?.index ?? 0;
  useEffect(() => {
    if (isPlaced.current && firstShown <= LOAD_OLDER_AT && !isLoadingOlder) void feed.loadOlder();
  }, [feed, firstShown, isLoadingOlder, isAtEnd, count]);

  const isEmpty = count === 0 && transcript.waiting === null;
  return (
    <OpenFolds value={folds.current}>
      <div className={styles.place}>
        <div
          ref={scroller}
          className={styles.scroller}
          tabIndex={0}
          role="region"
          aria-label="Transcript"
          aria-busy={transcript.waiting !== null}
          onScroll={() => setAtEnd(list.isAtEnd(END_PX))}
        >
          {isEmpty && empty}
          {isLoadingOlder && <div className={styles.older}>Loading older messages …</div>}
          <div className={styles.list} style={{ height: list.getTotalSize() }}>
            {items.map(({ index, key, start }) => {
              const row = rows[index];
              const own = outgoing[index - rows.length];
              return (
                <div
                  key={key}
                  ref={list.measureElement}
                  data-index={index}
                  className={styles.item}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {row && (
                    <MessageRow
                      {...{ row, results, isRunning, userName }}
                      isQueued={queued.has(row.entry.id)}
                      isMarked={row.entry.id === target}
                    />
                  )}
                  {own && <OutgoingRow outgoing={own} />}
                </div>
              );
            })}
          </div>
        </div>
        {!isAtEnd && <ToTheEnd last={rows.at(-1)?.entry.id} onClick={() => list.scrollToEnd()} />}
      </div>
    </OpenFolds>
  );
}

/** Says whether something came since the reader scrolled up. */
function ToTheEnd({ last, onClick }: { last: string | undefined; onClick: () => void }) {
  const [seen] = useState(last);
  return (
    <div className={styles.end}>
      <Button kind={last === seen ? 'plain' : 'primary'} onClick={onClick}>
        {last === seen ? 'To the end' : 'New messages'}
      </Button>
    </div>
  );
}
