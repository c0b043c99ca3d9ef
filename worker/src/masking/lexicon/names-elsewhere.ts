import { wordList, wordSet } from './word-set.ts';

/**
 * What a secret is called in other languages than English and Indonesian: the noun alone. What stands before or behind it,
 * in any casing, is read by the grammar of names, as it is for `password` and `key`.
 */

/** Dutch, French, German, Italian, Malay, Polish, Portuguese, Russian, Scandinavian, Spanish, Turkish, Finnish, Hungarian, Czech. */
const LATIN_PASSWORDS = wordList(`
  wachtwoord toegangscode motdepasse mot_de_passe mot-de-passe mdp kennwort losungswort zugangscode zugangskennwort
  katalaluan kata_laluan kata-laluan hasło haslo hasłem lösenordet passordet adgangskoden kodeordet senha palavra-passe palavra_passe palavrapasse пароль lösenord losenord adgangskode
  passord kodeord parola parolası parolanız паролем пароля şifresi şifreniz şifresiyle contraseña contrasenya contrasenia parolachiave clave şifre sifresi salasana jelszó jelszo heslo`).concat(
  'mot de passe',
  'kata laluan',
  'palabra secreta',
  'palavra secreta',
  'mot secret',
  'parola segreta',
  'кодовое слово',
  'кодовая фраза',
  'clé wifi',
  'clé wi-fi',
  'palavra passe',
  "parola d'ordine",
  'code wifi',
  'code wi-fi',
  'code du wifi',
  'wlan-code',
);
const EASTERN_PASSWORDS = wordList(
  '密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 패스워드 パスフレーズ パスコード 通行码 合言葉',
);

const LATIN_SECRETS = wordList(`
  secreto segredo segreto geheimnis geheimschlüssel geheimschluessel jeton credencial credenciales credenciais
  zugangsdaten inloggegevens секрет токен`);
const EASTERN_SECRETS = wordList(`
  密钥 密鑰 金钥 金鑰 令牌 权杖 權杖 私钥 私鑰 凭证 凭据 授权码 apiキー シークレットキー アクセスキー 秘密鍵 暗号鍵 認証キー トークン シークレット
  시크릿 토큰 액세스키 비밀키 api키`);

/** A key of any kind: what it is given has to be visibly drawn. */
const LATIN_KEYS = wordList(
  '_pat schlüssel schluessel sleutel clé chave chiave klucz ключ nyckel nøgle nøkkel anahtarı avain llave',
);

/** As they are written without the letters that ASCII has not, and in more languages. */
const FOLDED_PASSWORDS = wordList('sifre lozinka geslo matkhau mat_khau slaptazodis парола');

export const PASSWORDS_ELSEWHERE: readonly string[] = inAnyCase([
  ...LATIN_PASSWORDS,
  ...FOLDED_PASSWORDS,
  ...EASTERN_PASSWORDS,
]);
export const SECRETS_ELSEWHERE: readonly string[] = inAnyCase([...LATIN_SECRETS, ...EASTERN_SECRETS]);
export const KEYS_ELSEWHERE: readonly string[] = inAnyCase(LATIN_KEYS);

/** Letters outside ASCII are compared as they are: a word that has some stands also with its first letter, and all of them, as capitals. */
export function inAnyCase(words: readonly string[]): string[] {
  const capital = (letter: string) => (letter.toUpperCase() > '\u007f' ? letter.toUpperCase() : letter);
  const outside = (word: string) => word.replaceAll(/[^\0-\u007f]/g, capital);
  return [...new Set(words.flatMap((word) => [word, outside(word.charAt(0)) + word.slice(1), outside(word)]))];
}

const HEADINGS = [...LATIN_PASSWORDS, ...EASTERN_PASSWORDS, ...LATIN_SECRETS, ...EASTERN_SECRETS];

/** Whether one of the nouns stands in a line of headings. */
export function hasNounElsewhere(header: string): boolean {
  return HEADING.test(header.toLowerCase());
}

/** All of them at once: a search for each takes ten times as long. */
const HEADING = new RegExp(HEADINGS.join('|'));

/** Whether the heading of a column has a noun that ends its word: `Passwort`, and not `Passwortlänge`. */
export function isHeadingElsewhere(heading: string): boolean {
  const folded = heading.toLowerCase();
  return HEADINGS.some((noun) => {
    const from = folded.indexOf(noun);
    return from >= 0 && !/\p{L}/u.test(folded.charAt(from + noun.length)) && !HARMLESS_HEADING_ELSEWHERE.test(folded);
  });
}

/** What takes that back: the column holds its length, its kind, its end. */
const HARMLESS_HEADING_ELSEWHERE =
  /l(?:ä|ae)nge|longueur|longitud|lengte|tama(?:ñ|n)o|\btip[oe]\b|\btypes?\b|ablauf|expir|caduc|verval|срок|длина|тип|长度|类型|有效期|期限|文字数|種類|길이|만료/i;

/** Short ones, which chance makes inside other words: they have to begin and end one. */
export const WHOLE_NOUNS = wordSet('pw mdp parola clave senha haslo heslo _pat');
/** Languages that write compounds as one word: `Zugriffsschlüssel`, `toegangssleutel`. */
export const JOINED_NOUNS = wordSet('schlüssel schluessel sleutel nyckel nøgle nøkkel');
/** The part before such a noun that makes it a key of a table, a map or a public one. */
export const HARMLESS_HEADS =
  /(?:primair|prim(?:ä|ae)r|fremd|haupt|vreemde|sorteer|sortier|partitie|partitions|index|cache|sammel|publi[ck]e?|noten|violin|schrauben|ersatz)s?$/;

/** Words that follow the noun where it is a key of a table or a public one, or where the name is about the secret. */
export const NOT_THE_SECRET_ELSEWHERE =
  wordList(`primaria primario primaire primair foranea foraneo etrangere estrangeira publica publico publique pubblica unica unico
  longitud longueur laenge lengte tipo typ nombre nome naam largo tamano fecha valor_maximo caducidad vencimiento hs h tern terns ch ches ched`);
/** The same before the noun, a blank or a mark between. */
export const HARMLESS_QUALIFIERS_ELSEWHERE = wordList(
  'palabras palabra mots mot palavras palavra parole parola primaire primäre fremde publieke publica pubblica slowo slowa',
);

/** Verbs between a name and its value. Non-ASCII ones are read too. */
export const VERBS_ELSEWHERE = wordList(
  'maintenant ahora agora jetzt nun adesso mudou es era será lautet ist wird wurde est était sera é foi è sarà heet wordt werd jest är',
);

/** Characters that join a name and its value in Chinese, Japanese and Korean, where no blank stands between. */
export const COPULAS = '是为為はを：＝은는';
/** Words about passwords and forms in Chinese, Japanese and Korean. */
export const SPEAKS_OF_PASSWORDS =
  /[密码口令碼]{2}|必[须須填]|不[能同变]|为空|可以|需要|請|请|长度|错误|输入|设置|修改|忘记|字符|默认|同上|随机|自动|加密|明文|哈希|保密|无效|过期|パスワード|^空|无法|無法|区分|區分|何|什么|多少|여덟|이상|대소문자|구분|忘れ|場合|必ず|管理|画面|ログイン|必須|任意|入力|設定|変更|文字|無効|同じ|なし|不要|暗号|비밀번호|입력|필수|오류|변경|없음|(?:ます|ました|ません|ください|です|ない)$/;

/** Quotes of those languages, of French and of typography: what opens a value. What closes it is no character of a value. */
export const OPENING_QUOTES = '「『“‘《〈«„【（';
