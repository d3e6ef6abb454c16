import { Button } from './Button.js';

const KEEP_MS = 10_000;

/** Saves what the address answers as CSV; a link could not ask for another format. */
export function CsvButton({ address, name }: { address: string; name: string }) {
  const save = async () => {
    const response = await fetch(address, { headers: { Accept: 'text/csv' } });
    const url = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = url;
    link.download = `${name}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
  };
  return <Button onClick={() => void save()}>CSV</Button>;
}
