/** Values that a grammar of their own recognises: what is no secret, or a digest of one. All are anchored and take slices of bounded length. */

export const HEX_ONLY = /^(?:0x)?[0-9a-fA-F]+$/;
/** A password already hashed (crypt's modular format): a digest, not the secret. */
export const PASSWORD_HASH = /^\$(?:2[aby]?|argon2\w{0,2}|[156y]|pbkdf2[\w-]{0,12}|scrypt)\$/;
/** `AWS::S3ObjectLambda::AccessPoint`: a name in name spaces, or a type of resource. */
export const NAMESPACED = /^[A-Za-z_]\w{0,40}(?:::[A-Za-z_]\w{0,40}){1,6}$/;
/** Between the parts of a body (RFC 2046, 5.1.1), as browsers write it: `------WebKitFormBoundary…`. */
export const BOUNDARY = /^-{6,}\w{4,80}-{0,2}$/;
export const PLAIN_WORD = /^[A-Za-z]?[a-z]*$/;
export const UUID = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
export const REFERENCE =
  /^(?:[A-Za-z_$][\w$]*|this)(?:\??\.[A-Za-z_$#][\w$]*|\[[^\]]*\]|::[A-Za-z_]\w*|->[A-Za-z_]\w*)+$/;
/** `kopi.susu9`: in quotes a reference is text. */
export const PARTS_OF_WORDS = /^[a-z]+(?:\.[a-z]+\d*)+$/;
export const IDENTIFIER = /^[A-Za-z_$][A-Za-z_$]*$/;
export const SEPARATED_WORDS = /^[A-Za-z]+(?:[-_./: ][A-Za-z]+)*$/;
export const PATH =
  /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\)[\w.@/\\-]*$|^[\w.-]+\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|txt|env|ts|js|py|go|rb|java|php|md|html?|css|toml|ini|conf|sh|sql|xml|lock|log|png)$/;
/** `projects/my-project/secrets/my-secret/versions/1`: the name of a resource, if no part of it is drawn. */
export const RESOURCE = /^[A-Za-z][\w.-]*(?:\/[\w.-]+){2,}$/;
/** `v1p1alpha1`, `2.0.0-rc.1`, `v1beta2`. */
export const VERSION =
  /^(?:\d{1,2}:)?[v^~]?\d{1,5}(?:\.\d{1,5}){2,4}(?:[-+~][\w.+~-]*)?$|^v?\d{1,4}(?:[._p]\d{1,4}){0,4}[-._]?(?:alpha|beta|rc|dev|pre|post|preview|snapshot)[-._]?\d{0,8}$/i;
/** `!!ownPass`: a value of code that is negated. */
export const NEGATED = /^!{1,2}[A-Za-z_$][\w$.]*$/;
export const NUMBER = /^[-+]?\d{1,9}(?:[._,]\d+)*(?:ms|s|m|h|d|w|y|kb|mb|gb|k|px|rem|em|%)?$/i;
export const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?$/;
/**
 * `gpt-4o`, `claude-3.5-sonnet`, `model-2024.20241022`: words joined by marks, each with a short number or a long one after
 * a dot. No text can be read in two ways: a number after a dot has four digits or more, else it begins a part of its own.
 */
export const MODEL_NAME = /^[a-z]+(?:[-_.][a-z]*(?:\d{1,3}[a-z]{2}|(?:\d{1,3}[a-z]?)?(?:\.\d{4,}[a-z]?)?))*$/;
