import { usePrices } from '../../../api/prices.js';
import { Asked } from '../../../ui/Asked.js';
import { Card } from '../../../ui/Card.js';
import { InEffectTable } from './InEffectTable.js';
import { PricesEditor } from './PricesEditor.js';

export function PricesSection() {
  const query = usePrices();
  return (
    <>
      <Card title="Own prices">
        <Asked query={query}>{(prices) => <PricesEditor key={prices.revision} saved={prices} />}</Asked>
      </Card>
      <Card title="Prices in force now">
        <Asked query={query}>{({ inEffect }) => <InEffectTable prices={inEffect} />}</Asked>
      </Card>
    </>
  );
}
