// What a search result quotes of a page: nothing of what is folded there.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const whole = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll("details").forEach((fold) => fold.remove());
    return whole(page.documentElement.outerHTML, anchor);
  };
});
