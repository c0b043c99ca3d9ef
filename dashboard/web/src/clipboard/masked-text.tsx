import { cleanText } from './clean-text.ts';
import { maskedPieces } from './masked-pieces.ts';

/** Masked text with its masks drawn as chips. It goes in as text: nothing in it is ever markup. */
export function MaskedText({ text }: { readonly text: string }) {
  return (
    <>
      {maskedPieces(cleanText(text)).map((piece, index) =>
        piece.name === undefined ? (
          piece.text
        ) : (
          <span key={index} class="chip" data-marker={piece.text} data-name={piece.name}>
            {piece.text}
          </span>
        ),
      )}
    </>
  );
}
