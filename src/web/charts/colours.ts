/** Distinguishable for colour-blind readers (Okabe and Ito), in the order of the legend; the last is for `other`. */
export const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#b8a800', '#7d6bd0'];
export const OTHER_COLOUR = '#8b94a1';

export function colourOf(index: number, isOther: boolean): string {
  return isOther ? OTHER_COLOUR : (COLOURS[index % COLOURS.length] ?? OTHER_COLOUR);
}
