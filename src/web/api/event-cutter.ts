/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** Cuts a stream of text into events, wherever the pieces were cut. Lines that begin with a colon are signs of life. */
export class EventCutter {
  private rest = '';

  push(piece: string): StreamEvent[] {
    this.rest += piece;
    const blocks = this.rest.split(/\r?\n\r?\n/);
    this.rest = blocks.pop() ?? '';
    return blocks.map(eventOf).filter((event) => event !== null);
  }
}

function eventOf(block: string): StreamEvent | null {
  let id: string | null = null;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { id, event, data: data.join('\n') };
}
