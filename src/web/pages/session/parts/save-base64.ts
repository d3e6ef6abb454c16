const KEEP_MS = 10_000;

/** Saves a file of a message. As bytes, whatever it says it is: the browser must not show it as a page. */
export function saveBase64(data: string, mediaType: string, name: string): void {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const type = mediaType === 'application/pdf' ? mediaType : 'application/octet-stream';
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEEP_MS);
}
