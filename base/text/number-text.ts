/**
 * The text of a finite number in the spelling of this field: `1.5`, `1e+06`, `5e-06`. From a million on, and below a
 * ten thousandth, it has an exponent of at least two digits.
 *
 * @example numberText(1e21) // => '1e+21'
 */
export function numberText(value: number): string {
  const [digits = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
