import { wordSet } from './word-set.ts';

/** What may stand behind a value that a sentence gives: the end of a clause, or what goes on with it. */
export const ENDS_CLAUSE =
  /^["'`*_“»”」』]{0,3}(?:$|[.,;:!?)](?:\s|$)|[,。，；、！]|\s{0,2}\r?\n| (?:and|or|but|und|oder|y|o|et|ou|e|en|dan|atau|ya|и|или|on|in|ins|im|into|inside|onto|once|only|since|because|as|dans|dalam|nel|nella|op|at|this|from|until|today|tonight|now|when|so|for|then|to|as|an|ein|rein|bis|saja|aja|instead|btw|fyi|pls|plz|please|thx|thanks|kok|ya|bro|sih|dong|deh|lho|doch|übrigens|damals|last|yesterday|earlier|again|again|once|twice|too|already|please|geändert|gesetzt|gewechselt|umgestellt|zurückgesetzt|gestern|heute|olarak|kemarin|tadi|sekarang|dulu|hier|depuis|ayer|ahora|desde|ontem|agora|gisteren|nu|ieri|adesso|вчера|сейчас|теперь|auf|lol|haha|right|while|until|before|after|if|which|that|zu|um|pour|para|untuk|per|за|до|for|с)(?!\p{L})| (?:—|–|\())/u;
export const LONGEST_ENDING = 12;

/** What people sign in with: the words before a user in a sentence about it. */
export const JOINS_USER =
  /(?:^|[\s,(:：])(?:as|with|using|use|als|mit|unter|avec|comme|sous|con|como|com|come|met|onder|dengan|sebagai|pakai|как|под|с|со|用|以)(?=[ "'`«„“])/giu;
/** A user, in quotes or not, and a noun before it. */
export const USER =
  /\s?(?:(?:the|den|dem|der|el|la|le|o|a|il|lo|de|het)\s)?(?:(?:user(?:name)?|account|login|benutzer(?:namen?)?|nutzer(?:namen?)?|konto|usuario|usuário|cuenta|conta|utilisateur|compte|identifiant|utente|gebruiker(?:snaam)?|pengguna|akun|nama pengguna|пользовател\p{L}{1,3}|логин\p{L}{0,3}|именем)\s)?(["'`«„“]{0,1}[*_]{0,2})(\p{L}[\p{L}\d_.@\\-]{1,39})[*_]{0,2}["'`»“”]{0,1}/iuy;
/** What joins a user and a password. */
export const JOINS_PASSWORD =
  /(?:,? (?:and|with|using|plus|und|mit|et|avec|puis|y|con|luego|e|com|depois|en|met|daarna|dan|dengan|lalu|и|с|ve)(?: (?:then|dann|puis|luego|después|depois|daarna|dan|kemudian|с))?(?: (?:the|das|dem|la|le|el|a|o|as|het))?(?: (?:password|passwort|kennwort|wachtwoord|mot de passe|contraseña|clave|senha|sandi|kata sandi|пароль|паролем|пароля))?:?| ?[/|]|:(?=[^\s/:])) ?(?=[^\s/|])/iuy;

/** Locks and what else a number opens. */
export const LOCKS =
  /(?:^|[^\p{L}])(?:keypad|doors?|gate|safe|alarm|lock(?:er|box)?|padlock|key ?box|vault|entrance|garage|elevator|lift|intercom|cabinet|lobby|storeroom|barrier|panel|haustür|tür|tor|schloss|zahlenschloss|tresor|alarmanlage|schlüssel(?:kasten|box|safe)|eingang|schranke|porte|portail|portillon|coffre(?:-fort)?|serrure|digicode|cadenas|alarme|interphone|puerta|portal|portón|caja fuerte|cerradura|candado|alarma|porta|portão|cofre|fechadura|cadeado|cancello|portone|cassaforte|serratura|lucchetto|allarme|deur|poort|hek|kluis|slot|schuur|sleutelkastje|pintu(?:nya)?|gerbang|brankas|gembok|kunci pintu|loker|peti besi|pagar|двер\p{L}{0,3}|подъезд\p{L}{0,2}|домофон\p{L}{0,2}|сейф\p{L}{0,2}|ворота|замок|замка|сигнализаци\p{L}|шлагбаум\p{L}{0,2}|kapı\p{L}{0,4}|kasa\p{L}{0,4}|kilit\p{L}{0,4}|alarmı?)(?![\p{L}])|门|門|保险箱|保险柜|金庫|ドア|玄関|警报|锁|(?:hash|pound|star) key|raute|dièse|almohadilla|hekje|решётк|cancelletto/iu;
/** Codes that open nothing. */
export const OTHER_CODES =
  /(?:error|exit|status|country|postal|zip|area|product|source|http|response|return|sql|promo|discount|voucher|coupon|item|project|tax|currency|language|barcode|qr|dial(?:l?ing)?|fehler|postleit|länder|vorwahl|rabatt|erreur|promotion|error|postal|descuento|erro|desconto|sconto|foutcode|kortings|pos|galat|promo|diskon|ошибк\p{L}|промо|почтов\p{L}{1,4}|hata|posta)[ -]?$/iu;

/** Nouns that introduce a word as what opens something: `the word …`, `dem Wort …`. */
export const INTRODUCES_WORD = wordSet(
  'word words phrase code codeword wort passwort mot phrase palabra frase palavra parola woord kata kelime слово словом фраза фразой кодом',
);
