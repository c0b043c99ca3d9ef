import { language } from './language.ts';

/** Parts of the server's rules in Indonesian; a part that has another in it stands before that. */
const RULES: Readonly<Record<string, string>> = {
  'address must be an address, such as ': 'alamat harus ditulis seperti ',
  'must be an address, such as ': 'harus alamat, misalnya ',
  ' or 2001:': ' atau 2001:',
  'must be addresses or networks, which ': 'harus alamat atau jaringan; ini bukan: ',
  'must be a whole number from': 'harus bilangan bulat dari',
  ' to ': ' sampai ',
  'is no field of a key': 'bukan isian sebuah kunci',
  'must be true or false': 'harus true atau false',
  'must be abort or finish': 'harus abort atau finish',
  'must have ': 'harus punya ',
  ' characters that are seen: no tabs, line breaks, other control characters or marks that turn the direction of writing':
    ' karakter yang terlihat: tanpa tab, ganti baris, karakter kendali lain, atau tanda pembalik arah tulisan',
  '; it has ': '; isinya ',
  'must be a list of names of models': 'harus daftar nama model',
  'must be all, or a list of': 'harus semua, atau daftar dari',
  ' addresses or networks': ' alamat atau jaringan',
  ' is not. Examples: ': '. Contoh: ',
  'must be a time such as': 'harus waktu seperti',
  'must lie in the future; ': 'harus di masa depan; ',
  ' has passed': ' sudah lewat',
};

/** A rule of the server in the language of the page, as far as its words are known. */
export function sayRule(rule: string): string {
  if (language.value === 'en') return rule;
  return Object.entries(RULES).reduce((text, [english, other]) => text.replaceAll(english, other), rule);
}
