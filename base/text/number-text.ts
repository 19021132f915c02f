/**
 * A finite number as texts of this field spell it: `1.5`, `1e+06`, `5e-06`. The exponent, of at least two digits, is
 * spelt out from a million on and below a ten thousandth.
 *
 * @example numberText(1e21) // => '1e+21'
 */
export function numberText(value: number): string {
  const [digits = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
