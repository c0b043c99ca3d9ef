import { wordSet } from './word-set.ts';

/**
 * Words of sentences, forms and code about passwords: a value that holds one labels a field, or names something. None of
 * them is a word that a passphrase of drawn words is likely to hold.
 */
export const SPEAKS_ABOUT = wordSet(`
  the an your you my our this that it is are be been was were must should may can cannot will shall have has had does did not no yes if else then when where which what
  who how why for from of by with without and or as please enter type new old current again repeat retype confirm confirmation forgot forgotten lost show hide change changed
  reset set get update updated create created save saved cancel submit send sent sign log login logout logon register wrong incorrect invalid valid missing mismatch match
  matches empty blank weak strong medium strength too short long least most minimum maximum character characters chars letter letters digit digits only expired expires needed
  given provided available protected encrypted decrypted hashed plain plaintext text string strings number numeric boolean bool object array null nil undefined types schema
  model optional required default none unset hidden masked visible example sample test tests dummy foo bar baz qux lorem ipsum utf ascii base plugin module class function method
  property attribute element component controller service manager provider factory builder handler helper util utils common core system internal external global local public
  private static final const enum interface abstract generic map list dict tuple vector int integer float double char byte bytes email mail name names phone address code codes
  otp id ids url uri link page file files path field fields form input label title button click press here below above following next first second last value values data
  command option options argument arguments parameter parameters header headers body query request response session cookie cookies user users account accounts admin group role
  http https rest json xml yaml sql api web app application client server database table column row index error errors warning info debug message messages event events config
  configuration setting settings env environment version build release prod production staging dev development prompt stdin keyring keychain vault manager failed failure
  success successful denied unknown other custom any all each both either unable allow allowed disallowed ask enable enabled disable disabled read write copy paste
  remember recover recovery security secure insecure unsafe safe policy policies length hash salt rounds sha md rsa aes hmac bcrypt scrypt argon encoder decoder encoding
  psk pw pin kx one two-factor factor authentication authenticate authorization auth oauth saml ldap kerberos ntlm digest sasl tls ssl ssh gpg pgp key keys cert certificate
  anda harus wajib tidak untuk masukkan isi isikan ulangi lupa ubah atur baru lama saat salah benar minimal maksimal karakter dengan atau dan huruf angka belum sudah tampilkan
  sembunyikan konfirmasi setidaknya pengguna nama
  ihr ihre ihren dein deine das die der den ein eine einen bitte eingeben ändern neues neue neuen altes vergessen muss müssen nicht wiederholen bestätigen falsch falsches ungültig
  ungültiges zeichen mindestens anzeigen festlegen zurücksetzen erforderlich benutzer
  votre vos le les un une entrez entrer saisissez saisir nouveau nouvelle ancien oublié doit être incorrect invalide confirmer confirmez caractères requis obligatoire afficher utilisateur
  su tu el los introduzca introduce ingrese ingresa nueva nuevo anterior olvidó olvidaste olvidado debe incorrecta inválida confirmar caracteres repetir repita obligatoria usuario cambiar
  restablecer mostrar actual contraseña contrasena clave
  sua seu digite insira nova novo atual esqueceu deve incorreta confirme obrigatória usuário alterar redefinir mostrar senha
  uw je het een voer invoeren nieuw nieuwe oud oude vergeten moet onjuist ongeldig bevestig bevestigen tekens herhaal verplicht gebruiker wijzigen wachtwoord`);

/** Icons, styles, states and places: words that name something of a page or a program where a password's name stands before them. */
export const NAMES_PICTURE = wordSet(`
  eye lock locked unlock unlocked open opened close closed off outline outlined solid slash icon icons fa fas far mdi bi ion material svg png image circle square check cross star
  keep existing stored externally encoded browser localhost node nodejs js css scss html bg fg btn text muted danger primary dark light center bold italic rounded flex container
  wrapper modal dialog dropdown toolbar sidebar shadow caster forward opaque process render pass prepass gnome kde keyrings stdout stderr socket stream file-based interactive
  ldap unix linux windows docker kubernetes bitwarden keepass lastpass pinentry askpass getpass generated managed shared cached inherited same loading pending active inactive hint
  pflichtfeld padlock varchar nvarchar blob jsonb bigint smallint decimal timestamp datetime bytea textarea checkbox slapd compromised guessable
  lozinka heslo salasana salasanasi contrasenya losenord wachtwoorden`);
