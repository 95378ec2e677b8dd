// The texts of the pages, in the language of the URL (?lang=zh), else in the language that the browser prefers.

const LANGUAGES = ['en', 'zh'];

/** Returns the language to use. */
function preferredLanguage() {
  const asked = new URLSearchParams(location.search).get('lang');
  const all = [asked, ...navigator.languages].filter(Boolean).map((tag) => tag.slice(0, 2).toLowerCase());
  return all.find((tag) => LANGUAGES.includes(tag)) ?? 'en';
}

/** Reads the texts and fills in all elements with a `data-word` attribute. */
export async function load() {
  const texts = await (await fetch('/words.json')).json();
  const lang = preferredLanguage();
  /** Returns the text of a key, with its placeholders `{name}` filled in. For an unknown key it is the part after the dot. */
  const say = (key, values = {}) => {
    const text = texts[key]?.[lang] ?? key.slice(key.indexOf('.') + 1);
    return text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder);
  };
  document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en';
  for (const element of document.querySelectorAll('[data-word]')) element.textContent = say(element.dataset.word);
  /** Returns the question of a run, in Chinese if the reader reads Chinese and the question has a Chinese text. */
  const question = ({ question: text, question_zh: chinese }) => (lang === 'zh' && chinese) || text;
  return { say, lang, question };
}
