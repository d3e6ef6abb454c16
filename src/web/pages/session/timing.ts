let isOpening = true;

/** `transcript:append`: from the arrival of an event to the page that shows it. */
export function measureAppend(): void {
  if (performance.getEntriesByName('transcript:told').length === 0) return;
  performance.clearMeasures('transcript:append');
  performance.measure('transcript:append', 'transcript:told');
  performance.clearMarks('transcript:told');
}

/** `transcript:shown`: when the first messages of a session are there. */
export function measureOpening(rows: number): void {
  if (rows === 0) isOpening = true;
  else if (isOpening) {
    isOpening = false;
    performance.mark('transcript:shown');
  }
}
