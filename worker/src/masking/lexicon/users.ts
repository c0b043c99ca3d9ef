import { wordSet } from './word-set.ts';

/** What a field for the user is called, what it holds and what is said of it: no user. */
export const USER_LABELS = wordSet(`
  your my his her their our the this that a an ihr dein su tu votre ton uw je anda kamu
  user username user-name user_name userid user_id login name email e-mail mail account text string str varchar char boolean bool number int integer null none undefined nil true false
  yes no required optional taken missing invalid empty unknown field label title input person icon id uid self this req request args params data body form state props ctx config
  usuario usuário nombre correo cuenta benutzer benutzername anmeldename utilisateur identifiant nom compte gebruiker gebruikersnaam naam pengguna nama akun
  utente nome kullanıcı użytkownik användare användarnamn brukernavn brugernavn käyttäjätunnus логин пользователь имя 用户 用户名 ユーザー ユーザー名 アカウント 名前`);
