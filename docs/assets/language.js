/* The site has one language setting; pages below zh/ are Chinese, and fonts and screen readers want to know it. */
if (/\/zh\/[^/]*$/.test(location.pathname)) {
  document.documentElement.lang = "zh-CN";
}
