//! HTML and SVG as trees of elements. Names are this program's, and whatever else is put in is escaped when
//! the tree is written: text from a report cannot become markup.

use std::fmt;

/// An element.
#[derive(Clone, Debug)]
pub struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Node>,
}

#[derive(Clone, Debug)]
enum Node {
    Element(Element),
    Text(String),
    /// Written as it is: only `style` has such text.
    Style(&'static str),
}

/// An element without attributes and children.
pub const fn element(name: &'static str) -> Element {
    Element { name, attributes: Vec::new(), children: Vec::new() }
}

/// A style sheet.
pub fn style(sheet: &'static str) -> Element {
    let mut element = element("style");
    element.children.push(Node::Style(sheet));
    element
}

impl Element {
    /// With one more attribute.
    pub fn attr(mut self, name: &'static str, value: impl ToString) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// With a class.
    pub fn class(self, names: impl ToString) -> Self {
        self.attr("class", names)
    }

    /// With one more piece of text.
    pub fn text(mut self, text: impl ToString) -> Self {
        self.children.push(Node::Text(text.to_string()));
        self
    }

    /// With one more child.
    pub fn child(mut self, child: Self) -> Self {
        self.children.push(Node::Element(child));
        self
    }

    /// With more children.
    pub fn children(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children.into_iter().map(Node::Element));
        self
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}", self.name)?;
        for (name, value) in &self.attributes {
            write!(f, " {name}=\"{}\"", Escaped(value))?;
        }
        f.write_str(">")?;
        if self.name == "meta" {
            return Ok(());
        }
        for child in &self.children {
            match child {
                Node::Element(element) => write!(f, "{element}")?,
                Node::Text(text) => write!(f, "{}", Escaped(text))?,
                Node::Style(sheet) => f.write_str(sheet)?,
            }
        }
        write!(f, "</{}>", self.name)
    }
}

/// Text as it stands between tags, or between the quotes of an attribute.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            // No page may have it.
            '\0' => f.write_str("\u{fffd}"),
            character => write!(f, "{character}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: text ends its element or its attribute and begins another.
    #[test]
    fn text_stays_text() {
        let hostile = "</td><script>alert('&amp;')</script>\" onload=\"x\0";
        let written = element("td").attr("title", hostile).text(hostile).to_string();
        let escaped =
            "&lt;/td&gt;&lt;script&gt;alert('&amp;amp;')&lt;/script&gt;&quot; onload=&quot;x\u{fffd}";
        assert_eq!(written, format!("<td title=\"{escaped}\">{escaped}</td>"));
    }
}
