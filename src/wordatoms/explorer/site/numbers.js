// Formats of numbers and messages.

const whole = new Intl.NumberFormat("en");

export const count = (n) => whole.format(n);
export const decimal = (x, digits = 2) => x.toFixed(digits).replace("-", "−");
export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** A message of the server, capitalised. */
export const asSentence = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

export function signed(x, digits = 1) {
  const text = decimal(x, digits);
  if (Number(x.toFixed(digits)) === 0) return text.replace("−", "");
  return x > 0 ? `+${text}` : text;
}
export function percent(share) {
  if (share > 0 && share < 0.005) return "< 1%";
  if (share < 1 && share > 0.995) return "> 99%";
  return `${Math.round(100 * share)}%`;
}
