import { aligned, stacked } from '../../../src/web/charts/stacking.js';

describe('the series of a chart', () => {
  it('stand on top of each other, and end with the total of a day', () => {
    const series = [
      { key: 'a', label: 'A', values: [1, 2] },
      { key: 'b', label: 'B', values: [10, null] },
    ];
    expect(stacked(series)).toEqual([
      [1, 2],
      [11, 2],
    ]);
  });

  it('have a value for each day of the chart, nothing where a day is missing', () => {
    const rows = [{ key: 'a', label: 'A', series: [{ date: '2026-11-02', value: 5 }] }];
    expect(aligned(['2026-11-01', '2026-11-02'], rows)).toEqual([{ key: 'a', label: 'A', values: [0, 5] }]);
  });
});
