//! The entities of HTML 4, by which JMeter escapes and unescapes texts.

/// The names of the characters from 160 on.
const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro \
    para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute \
    Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN \
    szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve \
    oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/// Other names, each with its character.
const OTHERS: &str = "quot\" amp& lt< gt> OEligŒ oeligœ ScaronŠ scaronš YumlŸ fnofƒ circˆ tilde˜ AlphaΑ BetaΒ GammaΓ DeltaΔ EpsilonΕ ZetaΖ EtaΗ \
    ThetaΘ IotaΙ KappaΚ LambdaΛ MuΜ NuΝ XiΞ OmicronΟ PiΠ RhoΡ SigmaΣ TauΤ UpsilonΥ PhiΦ ChiΧ PsiΨ OmegaΩ alphaα betaβ gammaγ deltaδ \
    epsilonε zetaζ etaη thetaθ iotaι kappaκ lambdaλ muμ nuν xiξ omicronο piπ rhoρ sigmafς sigmaσ tauτ upsilonυ phiφ chiχ psiψ omegaω \
    thetasymϑ upsihϒ pivϖ ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ dagger† Dagger‡ bull• hellip… permil‰ prime′ Prime″ \
    lsaquo‹ rsaquo› oline‾ frasl⁄ euro€ imageℑ weierp℘ realℜ trade™ alefsymℵ larr← uarr↑ rarr→ darr↓ harr↔ crarr↵ lArr⇐ uArr⇑ rArr⇒ \
    dArr⇓ hArr⇔ forall∀ part∂ exist∃ empty∅ nabla∇ isin∈ notin∉ ni∋ prod∏ sum∑ minus− lowast∗ radic√ prop∝ infin∞ ang∠ and∧ or∨ cap∩ \
    cup∪ int∫ there4∴ sim∼ cong≅ asymp≈ ne≠ equiv≡ le≤ ge≥ sub⊂ sup⊃ nsub⊄ sube⊆ supe⊇ oplus⊕ otimes⊗ perp⊥ sdot⋅ lceil⌈ rceil⌉ lfloor⌊ \
    rfloor⌋ lang\u{2329} rang\u{232a} loz◊ spades♠ clubs♣ hearts♥ diams♦ ensp\u{2002} emsp\u{2003} thinsp\u{2009} zwnj\u{200c} zwj\u{200d} \
    lrm\u{200e} rlm\u{200f}";

/// The longest name of an entity.
const LONGEST: usize = 8;

/// All entities: name and character.
fn entities() -> impl Iterator<Item = (&'static str, char)> {
    let latin = LATIN.split_ascii_whitespace().zip('\u{a0}'..='\u{ff}');
    let others = OTHERS.split_ascii_whitespace().filter_map(|entry| {
        let (at, character) = entry.char_indices().next_back()?;
        Some((&entry[..at], character))
    });
    latin.chain(others)
}

/// Appends a text with its characters as the entities that HTML 4 has for them. Bytes that are no UTF-8 stay.
pub fn escape_html(text: &[u8], out: &mut Vec<u8>) {
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            match entities().find(|(_, known)| *known == character) {
                Some((name, _)) => out.extend_from_slice(format!("&{name};").as_bytes()),
                None => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        out.extend_from_slice(chunk.invalid());
    }
}

/// Appends a text with its entities of HTML 4, and with numbers such as `&#39;` and `&#x27;`, as the characters for which they stand.
pub fn unescape_html(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte == b'&') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let end = rest.iter().take(LONGEST + 4).position(|&byte| byte == b';');
        let character = end.and_then(|end| character(std::str::from_utf8(&rest[1..end]).ok()?));
        match (character, end) {
            (Some(character), Some(end)) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[end + 1..];
            }
            _ => {
                out.push(b'&');
                rest = &rest[1..];
            }
        }
    }
    out.extend_from_slice(rest);
}

/// The character of an entity, by what stands between `&` and `;`.
fn character(name: &str) -> Option<char> {
    let Some(number) = name.strip_prefix('#') else {
        return entities().find(|(known, _)| *known == name).map(|(_, character)| character);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(make: fn(&[u8], &mut Vec<u8>), text: &str) -> String {
        let mut out = Vec::new();
        make(text.as_bytes(), &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn texts_are_escaped_and_unescaped_by_the_entities_of_html_4() {
        let (plain, escaped) = (
            "<a href=\"x\">'é' ÿ €</a> \u{a0}ω",
            "&lt;a href=&quot;x&quot;&gt;'&eacute;' &yuml; &euro;&lt;/a&gt; &nbsp;&omega;",
        );
        assert_eq!(made(escape_html, plain), escaped);
        assert_eq!(made(unescape_html, escaped), plain);
        let others = "&#39;&#x2F;&apos;&amp;lt; & &nosuch; &#1114112; &lt";
        assert_eq!(made(unescape_html, others), "'/&apos;&lt; & &nosuch; &#1114112; &lt");
    }

    #[test]
    fn every_entity_has_one_character() {
        assert_eq!(entities().count(), 252);
        let names: std::collections::BTreeSet<&str> = entities().map(|(name, _)| name).collect();
        assert_eq!(names.len(), 252);
        assert!(names.iter().all(|name| name.len() <= LONGEST && name.is_ascii()));
        assert!(entities().all(|(_, character)| !character.is_ascii() || "\"&<>".contains(character)));
    }
}
